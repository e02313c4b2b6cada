import { createHash } from 'node:crypto';
import {
  context,
  diag,
  DiagLogLevel,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import type { Log } from './log.ts';

/**
 * OpenTelemetry traces. Until `openTraces` is called, all spans are no-ops. A span records an operation's
 * name, duration and outcome, but no statement values, no addresses and no error messages.
 */
type Traces = { close(): Promise<void> };

/** How long a process waits for an unresponsive collector before it exits. */
const CLOSE_MS = 3_000;

/** Exports this process's spans to the collector. Loads the OpenTelemetry SDK only when called. */
export async function openTraces(service: string, endpoint: string, log: Log): Promise<Traces> {
  const [sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
    ]);
  const tell = warnOnce(log);
  const url = new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: CLOSE_MS });
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': `loan-servicing-${service}` }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        exportTimeoutMillis: CLOSE_MS,
        scheduledDelayMillis: 1_000,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return {
    close: async () => {
      const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([provider.shutdown().catch(tell), late]);
      for (const part of [trace, context, diag]) part.disable();
    },
  };
}

/** Logs one warning for an unavailable collector. Its spans are lost. */
function warnOnce(log: Log) {
  let isTold = false;
  const tell = () => {
    if (!isTold) log.warn('traces cannot be sent; the collector is not available');
    isTold = true;
  };
  const silent = () => {};
  const listener = { error: tell, warn: silent, info: silent, debug: silent, verbose: silent };
  diag.setLogger(listener, DiagLogLevel.ERROR);
  return tell;
}

type ActiveSpan = {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** The request that caused the work, if known. It determines the trace id. */
  request_id?: string | null;
};

/** Runs the steps within a span. On an error, the span records only the error's class. */
export function inSpan<Result>(
  { name, kind = SpanKind.INTERNAL, attributes = {}, request_id = null }: ActiveSpan,
  steps: (span: Span) => Promise<Result>,
): Promise<Result> {
  const tracer = trace.getTracer('loan-servicing');
  const parent = request_id === null ? context.active() : ofRequest(request_id);
  return tracer.startActiveSpan(name, { kind, attributes }, parent, async (span) => {
    try {
      return await steps(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof Error ? error.constructor.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  });
}

/**
 * All work for a request belongs to one trace, in any process and at any later time. The trace id is the
 * beginning of the SHA-256 of the request id. Trace headers of callers are ignored.
 */
function ofRequest(request_id: string) {
  const digest = createHash('sha256').update(request_id).digest('hex');
  return trace.setSpanContext(context.active(), {
    traceId: digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

export { SpanKind, SpanStatusCode };
