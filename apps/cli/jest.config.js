import preset from '../../jest.preset.js';

// These tests wait for processes more than they compute.
export default { ...preset, displayName: 'cli', maxWorkers: 2 };
