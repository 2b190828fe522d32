module.exports = { displayName: 'time', preset: '../../jest.preset.js' };
