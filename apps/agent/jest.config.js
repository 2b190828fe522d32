module.exports = { displayName: 'agent', preset: '../../jest.preset.js' };
