/**
 * The script of the reference. Swagger UI knows no groups of tags, so a plugin puts each group's name above its first tag.
 * A file of its own, since the page's policy allows no script within it.
 */
export const docsInitializer = `'use strict';
const groupHeadings = () => ({
  wrapComponents: {
    OperationTag: (Original, { React, specSelectors }) => (props) => {
      const groups = specSelectors.specJson().get('x-tagGroups');
      const group = groups && groups.find((each) => each.get('tags').first() === props.tag);
      const tag = React.createElement(Original, props);
      if (!group) return tag;
      return React.createElement(React.Fragment, null, React.createElement('h2', null, group.get('name')), tag);
    },
  },
});
window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  showExtensions: true,
  validatorUrl: null,
  plugins: [groupHeadings],
});
`;
