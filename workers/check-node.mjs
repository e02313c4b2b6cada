/** Older versions of Node cannot run TypeScript and would only name an unknown file extension. */
const NODE_MAJOR_MIN = 26;
const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  console.error(
    `This is Node ${process.versions.node}, and the platform needs Node ${NODE_MAJOR_MIN}. Run "npm ci" first: it installs that version, and npm uses it.`,
  );
  process.exit(1);
}
