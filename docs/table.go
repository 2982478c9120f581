package docs

import (
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// gap separates two columns.
const gap = "  "

// table lays a table out in columns. If its words are too long for that, each row becomes lines "heading: cell".
func (l *layout) table(n *grid, hang string) {
	var rows [][][]word
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := ""
		if row == n.FirstChild() {
			style = diag.Bold
		}
		var cells [][]word
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, l.inline(cell, style))
		}
		rows = append(rows, cells)
	}
	widths := fitColumns(rows, l.Width-len(hang))
	if widths == nil {
		l.records(rows, hang)
		return
	}
	texts := make([][][]string, len(rows))
	tall := false // some row takes several lines
	for i, cells := range rows {
		for k, cell := range cells {
			texts[i] = append(texts[i], broken(cell, widths[k]))
			tall = tall || i > 0 && len(texts[i][k]) > 1
		}
	}
	for i, cells := range texts {
		if i > 1 && tall {
			l.line(hang)
		}
		l.row(cells, widths, hang)
		if i == 0 {
			var under []string
			for _, w := range widths {
				under = append(under, strings.Repeat("-", w))
			}
			l.line(hang + strings.Join(under, gap))
		}
	}
}

// row writes the lines of the cells of one row beside each other.
func (l *layout) row(cells [][]string, widths []int, hang string) {
	most := 0
	for _, lines := range cells {
		most = max(most, len(lines))
	}
	for k := range most {
		var b strings.Builder
		for i, lines := range cells {
			s := ""
			if k < len(lines) {
				s = lines[k]
			}
			b.WriteString(s + strings.Repeat(" ", max(widths[i]-columns(s), 0)) + gap)
		}
		l.line(hang + b.String())
	}
}

// records writes a table that is too wide for columns.
func (l *layout) records(rows [][][]word, hang string) {
	for i, cells := range rows[1:] {
		if i > 0 {
			l.line(hang)
		}
		for k, cell := range cells {
			if len(cell) == 0 {
				continue
			}
			var words []word
			if head := rows[0][k]; len(head) > 0 {
				words = append(append(words, head...), word{text: ":", columns: 1, glued: true})
			}
			l.wrap(join(words, cell), hang, hang+"  ")
		}
	}
}

// join concatenates two runs of words.
func join(a, b []word) []word {
	out := append(append([]word{}, a...), b...)
	if len(a) > 0 && len(b) > 0 {
		out[len(a)].glued = false
	}
	return out
}

// fitColumns returns a width for every column, so that all fit, or nil if the longest words do not fit. A column whose longest word is
// wider than its share gets the width of that word. A column that needs less than its share gets what it needs. The others share the rest.
func fitColumns(rows [][][]word, width int) []int {
	natural, least := measure(rows)
	left, open := width-len(gap)*(len(natural)-1), len(natural)
	if sum(least) > left {
		return nil
	}
	widths := make([]int, len(natural))
	settle := func(width func(i, share int) int) {
		for again := true; again; {
			again = false
			for i := range widths {
				if widths[i] != 0 {
					continue
				}
				if w := width(i, left/open); w > 0 {
					widths[i], again = w, true
					left -= w
					open--
				}
			}
		}
	}
	settle(func(i, share int) int { return widerThan(least[i], share) })
	settle(func(i, share int) int { return natural[i] - widerThan(natural[i], share) })
	settle(func(_, share int) int { return share })
	return widths
}

// widerThan returns the width if it is more than the share, or 0.
func widerThan(width, share int) int {
	if width > share {
		return width
	}
	return 0
}

// measure returns the width of each column without line breaks, and the width of its longest word.
func measure(rows [][][]word) (natural, least []int) {
	natural, least = make([]int, len(rows[0])), make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			for _, line := range broken(cell, 1<<20) {
				natural[i] = max(natural[i], columns(line))
			}
			for _, line := range broken(cell, 1) {
				least[i] = max(least[i], columns(line))
			}
			least[i], natural[i] = max(least[i], 1), max(natural[i], 1)
		}
	}
	return natural, least
}

func sum(numbers []int) int {
	n := 0
	for _, x := range numbers {
		n += x
	}
	return n
}
