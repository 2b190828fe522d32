module.exports = { displayName: 'memo', preset: '../../jest.preset.js' };
