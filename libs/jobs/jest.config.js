module.exports = { displayName: 'jobs', preset: '../../jest.preset.js' };
