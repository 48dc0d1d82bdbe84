import preset from '../../jest.preset.js';

/** One stack and one browser for all of its stories: they run in one process, one after the other. */
export default { ...preset, displayName: 'dashboard', maxWorkers: 1 };
