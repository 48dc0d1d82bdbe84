import preset from '../../jest.preset.js';

// These tests wait for servers more than they compute.
export default { ...preset, displayName: 'dns', maxWorkers: 2 };
