import { logoSvg, pixelPng } from '../images.mjs';

const titled = (title, text) => `${title}\n${'='.repeat(title.length)}\n\n${text}`;

/** Sphinx with its default theme and its default addresses: `.html` files, and relative links. */
export const sphinx = {
  program: 'sphinx-build',
  version: ['sphinx-build', '--version'],
  command: ['sphinx-build', '-q', '-W', '-b', 'html', '-d', 'doctrees', 'docs', 'html'],
  output: 'html',
  preview: (port) => ['python3', '-m', 'http.server', '--bind', '127.0.0.1', '--directory', 'html', `${port}`],
  files: {
    'docs/conf.py': `project = 'Acme'
author = 'Acme'
extensions = ['sphinx.ext.todo']
html_logo = 'img/logo.svg'
`,
    'docs/img/logo.svg': logoSvg,
    'docs/img/photo-1.png': pixelPng,
    'docs/index.rst': titled(
      'Acme',
      `.. image:: img/logo.svg

.. toctree::

   café
   guide/index
   guide/deep/notes
   guide/release notes

See :doc:\`the notes <guide/deep/notes>\` and :ref:\`install\`.
`,
    ),
    'docs/café.rst': titled('Café', 'See :doc:`guide/index` and :doc:`index`.\n\n.. image:: img/photo-1.png\n'),
    'docs/guide/index.rst': titled('Guide', '.. toctree::\n\n   install\n\n.. image:: ../img/logo.svg\n'),
    'docs/guide/install.rst': `.. _install:

${titled('Install', 'Run the :term:`program`, see :doc:`../café` and :download:`the logo <../img/logo.svg>`.\n')}
.. glossary::

   program
      What you run.
`,
    'docs/guide/release notes.rst': titled('Release notes', 'See :doc:`install`.\n'),
    'docs/guide/deep/notes.rst': titled(
      'Notes',
      'See :doc:`../index`, :doc:`/index` and :doc:`../release notes`.\n\n.. image:: ../../img/photo-1.png\n',
    ),
  },
};
