import { defineConfig } from 'vite';

/** The API must have the same origin as the page, because its session is a cookie. */
const proxy = { '/api': process.env.API_URL ?? 'http://localhost:3000' };

export default defineConfig({ server: { proxy }, preview: { proxy } });
