import preset from '../../jest.preset.js';

/** Stacks that mostly wait: two at a time also where Jest would take one core for itself. */
export default { ...preset, displayName: 'system-tests', maxWorkers: 2 };
