package sonic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/sonic/grammar"
)

func TestTry(t *testing.T) {
	w := wish(t, device(t, rack, "tor1"))
	t.Log(edit(t, w, ""))
	old := usual("202505").state()
	out := edit(t, w, old)
	steps, refused, err := w.Sequence([]byte(old), []byte(out))
	require.NoError(t, err)
	for _, r := range refused {
		t.Log(r)
	}
	for _, s := range steps {
		t.Log(s.Doc, s.Ports, s.Cmds)
		t.Log(string(jsonOf(s)))
	}
	for n, f := range examples(t, "202511") {
		t.Log(n, len(f.Devices))
	}
}

func jsonOf(s grammar.Step) []byte { return grammar.JSON(s.Ops) }
