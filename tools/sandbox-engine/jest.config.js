module.exports = { displayName: 'sandbox-engine', preset: '../../jest.preset.js' };
