module.exports = { displayName: 'agent-environments', preset: '../../jest.preset.js' };
