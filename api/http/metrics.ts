import { Counter, Gauge, Histogram } from 'prom-client';
import { measureConnections } from '../../jobs/monitoring/metrics.ts';
import type { Intake } from './receive.ts';
import type { Replica } from '../../sql/database/replica.ts';

export const requestSeconds = new Histogram({
  name: 'http_request_seconds',
  help: 'How long requests took, by the pattern of their route; without one for all that is no endpoint.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
});

export const requestsAborted = new Counter({
  name: 'http_requests_aborted_total',
  help: 'Requests whose client closed the connection: before the request was complete, or before it had the answer.',
  labelNames: ['during'],
});

export const bodiesRefused = new Counter({
  name: 'http_bodies_refused_total',
  help: 'Bodies that were not received, by the code of the refusal.',
  labelNames: ['code'],
});

export const replicaReads = new Counter({
  name: 'replica_reads_total',
  help: 'Lists and reports by who answered: the replica, or the primary and why.',
  labelNames: ['outcome'],
});

/** Measures the current intake. */
export function measureIntake({ admission, unfinished }: Pick<Intake, 'admission' | 'unfinished'>) {
  const atWork: Gauge = new Gauge({
    name: 'http_requests_at_work',
    help: 'Requests that the process works on.',
    collect: () => atWork.set(admission.atWork()),
  });
  const arriving: Gauge = new Gauge({
    name: 'http_bodies_unfinished',
    help: 'Bodies and uploads that are on their way.',
    collect: () => arriving.set(unfinished.count()),
  });
}

/** Measures the replica's maximum lag and whether the API reads from it. */
export function measureReplica(replica: Replica) {
  measureConnections(replica, 'replica_connections');
  const lag: Gauge = new Gauge({
    name: 'replica_lag_seconds',
    help: 'How far the replica lags behind the primary at most; +Inf while that is not known.',
    collect: () => lag.set(replica.lag()),
  });
  const fit: Gauge = new Gauge({
    name: 'replica_is_read',
    help: '1 while lists and reports are read from the replica, 0 while all are read from the primary.',
    collect: () => fit.set(replica.isFit() ? 1 : 0),
  });
}
