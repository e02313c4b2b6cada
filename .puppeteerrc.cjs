// The browser comes with @sparticuz/chromium: puppeteer's own download at install time is switched off.
module.exports = { skipDownload: true };
