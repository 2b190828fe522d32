module.exports = { displayName: 'usage-archive', preset: '../../jest.preset.js' };
