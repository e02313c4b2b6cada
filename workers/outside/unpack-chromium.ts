import chromium from '@sparticuz/chromium';

// Run as a process of its own by chromium.ts, because the package unpacks to TMPDIR and brings
// its libraries only where AWS_EXECUTION_ENV says so: both are set for this process alone.
await chromium.executablePath();
