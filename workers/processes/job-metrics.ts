import { Counter, Histogram } from 'prom-client';

export const jobSeconds = new Histogram({
  name: 'job_seconds',
  help: 'How long jobs ran. The outcome is "failed" if the job failed or a receiver refused what it sent.',
  labelNames: ['pool', 'task', 'outcome'],
  buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300],
});

export const jobsFailedForGood = new Counter({
  name: 'jobs_failed_for_good_total',
  help: 'Jobs that will not be tried again.',
  labelNames: ['pool', 'task'],
});

export const sendsRefused = new Counter({
  name: 'sends_refused_total',
  help: 'Mails, texts, webhook requests and files that their receiver did not accept.',
  labelNames: ['task', 'means'],
});
