import preset from '../../jest.preset.js';

/** By far the most tests: two at a time also where Jest would take one core for itself. */
export default { ...preset, displayName: 'pets-api', maxWorkers: 2 };
