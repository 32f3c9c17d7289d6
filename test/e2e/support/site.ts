/**
 * The cluster that test/e2e runs on, as far as clusters differ: our own node, kind, one that the user names, or kwok, where Pods only
 * report that they ran.
 */

export interface ScrapeResponse {
  /** HTTP status. */
  readonly status: number;
  readonly body: string;
}

export interface Site extends AsyncDisposable {
  /** Whether Pods run their program, and write logs. */
  readonly hasContainers: boolean;
  /** Path of the API server's audit log, when the cluster is ours. */
  readonly auditLog: string | undefined;
  /** config/default with an image, adapted to this cluster. */
  manifests(image: string): Promise<string>;
  /** Kills the manager in a Pod of ours without notice. The kubelet of the Pod starts another one in it. */
  crash(pod: string): Promise<void>;
  /** GET of /metrics from within the cluster, through the Service. */
  scrape(token?: string): Promise<ScrapeResponse>;
}
