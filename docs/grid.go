package docs

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// grid is a table, a row or a cell of a page. The extension of goldmark for tables compiles regular expressions of two thousand objects
// whenever a program starts, so it is not used. TestTables compares both on every page.
type grid struct {
	ast.BaseBlock
	kind ast.NodeKind
}

var kindTable, kindRow, kindCell = ast.NewNodeKind("Table"), ast.NewNodeKind("TableRow"), ast.NewNodeKind("TableCell")

func (g *grid) Kind() ast.NodeKind { return g.kind }

func (g *grid) Dump(src []byte, level int) { ast.DumpHelper(g, src, level, nil, nil) }

// tables makes a table of each paragraph whose second line is the line below a heading: "| --- | --- |".
type tables struct{}

// Transform implements [parser.ParagraphTransformer].
func (tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, src := p.Lines(), reader.Source()
	if lines.Len() < 2 {
		return
	}
	head, line := cells(lines.At(0), src), lines.At(1)
	under := cells(line, src)
	if len(head) != len(under) || bytes.IndexByte(line.Value(src), '|') < 0 {
		return
	}
	for _, cell := range under {
		dashes := bytes.TrimSuffix(bytes.TrimPrefix(cell.Value(src), []byte(":")), []byte(":"))
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return
		}
	}
	table := &grid{kind: kindTable}
	for i := range lines.Len() {
		if i == 1 {
			continue
		}
		row := &grid{kind: kindRow}
		written := cells(lines.At(i), src)
		for k := range head { // each row has as many cells as the first row
			cell := &grid{kind: kindCell}
			if k < len(written) {
				cell.Lines().Append(written[k])
			}
			row.AppendChild(row, cell)
		}
		table.AppendChild(table, row)
	}
	p.Parent().ReplaceChild(p.Parent(), p, table)
}

// cells cuts a line at its bars. A bar after a backslash does not count.
func cells(line text.Segment, src []byte) (out []text.Segment) {
	line = trim(line, src)
	row := line.Value(src)
	from, end := 0, len(row)
	if bytes.HasPrefix(row, []byte("|")) {
		from = 1
	}
	if end > from && row[end-1] == '|' {
		end--
	}
	for at := from; at <= end; at++ {
		if at == end || row[at] == '|' && (at == 0 || row[at-1] != '\\') {
			out = append(out, trim(text.NewSegment(line.Start+from, line.Start+at), src))
			from = at + 1
		}
	}
	return out
}

func trim(s text.Segment, src []byte) text.Segment {
	s = s.TrimLeftSpace(src)
	return s.TrimRightSpace(src)
}
