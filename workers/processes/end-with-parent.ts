/**
 * Loaded first into every process that `npm start` runs: when the parent is gone, however that came
 * about, the channel to it closes and the process stops as if it had been told to.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
