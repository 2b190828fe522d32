module.exports = { displayName: 'sse', preset: '../../jest.preset.js' };
