module.exports = { displayName: 'credentials', preset: '../../jest.preset.js' };
