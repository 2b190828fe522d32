module.exports = { displayName: 'console', preset: '../../jest.preset.js' };
