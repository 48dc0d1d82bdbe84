export * from './format.js';
export { exampleIssue } from './setup.example.js';
export * from './progress.js';
export * from './status.js';
export * from './texts.js';
export * from './watching.js';
export * from './zone-form.js';
export * from './zone-lines.js';
