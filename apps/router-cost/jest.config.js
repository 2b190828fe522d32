module.exports = { displayName: 'router-cost', preset: '../../jest.preset.js' };
