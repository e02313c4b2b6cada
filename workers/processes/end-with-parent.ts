/**
 * Loaded first into every process that `npm start` runs. When the parent ends for any reason, its channel
 * closes and the process stops as after SIGTERM.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
