module.exports = { displayName: 'dto', preset: '../../jest.preset.js' };
