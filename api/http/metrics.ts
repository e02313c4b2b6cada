import { Histogram } from 'prom-client';

export const requestSeconds = new Histogram({
  name: 'http_request_seconds',
  help: 'How long requests took, by the pattern of their route; without one for all that is no endpoint.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
});
