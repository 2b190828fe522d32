module.exports = { displayName: 'statements', preset: '../../jest.preset.js' };
