module.exports = { displayName: 'postgres', preset: '../../jest.preset.js' };
