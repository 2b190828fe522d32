module.exports = { displayName: 'tokens', preset: '../../jest.preset.js' };
