module.exports = { displayName: 'training', preset: '../../jest.preset.js' };
