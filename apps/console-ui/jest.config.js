module.exports = { displayName: 'console-ui', preset: '../../jest.preset.js' };
