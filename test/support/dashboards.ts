/** The dashboards of the chart, as Grafana reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './manifests.ts';

export interface PanelTarget {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: unknown;
  readonly instant: boolean;
  readonly range: boolean;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly interval?: string;
  readonly datasource?: unknown;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly PanelTarget[];
  readonly links?: readonly { readonly title: string; readonly url: string }[];
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string };
    readonly overrides: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly id: string }[];
    }[];
  };
  readonly options?: {
    readonly legend?: { readonly showLegend: boolean };
    readonly sortBy?: readonly { readonly displayName: string }[];
  };
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** A text, except for variables of the type `query`. */
  readonly query: string | { readonly query: string };
  readonly allValue?: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

const FOLDER = join(PROJECT, 'charts/cronjob-operator/files/dashboards');

/** Dashboards by file name. */
export function readDashboards(): Readonly<Record<string, Dashboard>> {
  const files = readdirSync(FOLDER);
  return Object.fromEntries(
    files.map((file) => [file, JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Dashboard]),
  );
}

/** All panels except the headings of rows. */
export function listPanels({ panels }: Dashboard): readonly Panel[] {
  return panels.filter(({ type }) => type !== 'row');
}
