module.exports = { displayName: 'model-calls', preset: '../../jest.preset.js' };
