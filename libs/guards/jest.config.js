module.exports = { displayName: 'guards', preset: '../../jest.preset.js' };
