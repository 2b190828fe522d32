module.exports = { displayName: 'training-envelope', preset: '../../jest.preset.js' };
