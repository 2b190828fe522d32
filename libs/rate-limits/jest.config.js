module.exports = { displayName: 'rate-limits', preset: '../../jest.preset.js' };
