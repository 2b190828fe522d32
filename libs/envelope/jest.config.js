module.exports = { displayName: 'envelope', preset: '../../jest.preset.js' };
