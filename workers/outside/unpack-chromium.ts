import chromium from '@sparticuz/chromium';

// chromium.ts runs this as a separate process. The package unpacks to TMPDIR and adds its libraries only if
// AWS_EXECUTION_ENV is set, so both variables are set for this process alone.
await chromium.executablePath();
