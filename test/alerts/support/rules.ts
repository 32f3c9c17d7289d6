/** The rules as they are installed, for programs that read files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT } from '../../support/manifests.ts';

interface Rule {
  readonly alert: string;
  readonly for: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Content of a file of rules. JSON is YAML. */
export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

export function installedRules(): RuleFile {
  return parse(readFileSync(join(PROJECT, 'config/prometheus/rules.yaml'), 'utf8')).spec;
}

/** The same expressions, which need not hold for some time before they fire. */
export function withoutWaits({ groups }: RuleFile): RuleFile {
  const atOnce = (rule: Rule): Rule => ({ ...rule, for: '0s' });
  return { groups: groups.map(({ name, rules }) => ({ name, rules: rules.map(atOnce) })) };
}
