package chain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheck: the error names the line at which a chain breaks.
func TestCheck(t *testing.T) {
	var c Chain
	var lines [][]byte
	for _, object := range []string{`{"begin":{}}`, `{"line":{"detail":"a } \" b"}}`, `{"end":1}`, `{"line":{}}`, `{"end":2}`} {
		lines = append(lines, c.Add([]byte(object), object[:6] == `{"end"`))
	}
	require.Empty(t, Check(lines).Wrong)
	require.Equal(t, c.Head, Check(lines).Head)
	require.True(t, Sealed(lines[4]) && !Sealed(lines[3]))
	require.Equal(t, 2, Check(lines).Heads[Sum(lines[1])])
	for _, s := range []struct {
		lines [][]byte
		want  []string
	}{
		{lines[1:], []string{"line 1 follows another line, which is missing"}},
		{[][]byte{lines[0], lines[2]}, []string{"line 2 does not follow line 1: one of them was changed, or lines were moved or taken out"}},
		{append(lines[:4:4], []byte(`{"end":3`+string(lines[4][len(`{"end":2`):]))), []string{"line 5 was changed after it was written"}},
		{append(lines[:4:4], lines[4][:30]), []string{"line 5 is cut short"}},
		{[][]byte{[]byte(`{"begin":{}}`), []byte(`{"end":1}`)}, nil},
	} {
		require.Equal(t, s.want, Check(s.lines).Wrong)
	}
	require.True(t, Check([][]byte{[]byte(`{"begin":{}}`), []byte(`{"end":1}`)}).None)
	require.False(t, Check(lines).None)
}
