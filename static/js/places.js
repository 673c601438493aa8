/* Positions in the text: the server counts lines from 1 and columns in code points, ACE from 0 in UTF-16. */
"use strict";

window.Places = {
  toEditor(session, line, column) {
    const text = session.getLine(line - 1) ?? "";
    return { row: line - 1, column: Array.from(text).slice(0, column - 1).join("").length };
  },

  fromEditor(session, { row, column }) {
    const text = session.getLine(row) ?? "";
    return { line: row + 1, column: Array.from(text.slice(0, column)).length + 1 };
  },

  range(session, { line, column, end_line, end_column }) {
    const { Range } = ace.require("ace/range");
    const start = window.Places.toEditor(session, line, column);
    const end = window.Places.toEditor(session, end_line, end_column);
    return new Range(start.row, start.column, end.row, end.column);
  },

  go(editor, line, column) {
    const { row, column: at } = window.Places.toEditor(editor.session, line, column);
    editor.focus();
    editor.selection.clearSelection();
    editor.moveCursorTo(row, at);
    editor.scrollToLine(row, true, false);
  },
};
