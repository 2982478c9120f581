package main

import (
	"os"
	"testing"
)

func TestDbgSonic(t *testing.T) {
	b := bySONiC(t, sonicRack(os.Getenv("REL")))
	p := b.plan(t)
	c := p.Changes[0]
	s := c.File.Activate
	os.WriteFile("/tmp/son/stdin", []byte(s.Stdin), 0o644)
	b.Run(t.Context(), "root", "mkdir -p /tmp/step/live/sonic", "")
	out, errs, status := b.Run(t.Context(), "root", "export ROCEC_STEP=/tmp/step ROCEC_LIVE=/tmp/step/live ROCEC_WHY=body\n"+s.Cmd, s.Stdin)
	t.Log(status, string(out), string(errs))
	out, _, _ = b.Run(t.Context(), "root", c.File.Live.Cmd, "")
	os.WriteFile("/tmp/son/now", []byte(out), 0o644)
	os.WriteFile("/tmp/son/want", c.After, 0o644)
	os.WriteFile("/tmp/son/before", c.Before, 0o644)
	out, errs, status = b.Run(t.Context(), "root", "export ROCEC_STEP=/tmp/step ROCEC_LIVE=/tmp/step/live ROCEC_WHY=asked\ncat >/tmp/step/live/sonic/running <<'EOF'\n"+string(c.Before)+"EOF\n"+"true", "")
	out, errs, status = b.Run(t.Context(), "root", "export ROCEC_STEP=/tmp/step ROCEC_LIVE=/tmp/step/live ROCEC_WHY=asked\n"+s.Undo.Cmd, string(s.Undo.Stdin))
	t.Log(status, string(out), string(errs))
	out, _, _ = b.Run(t.Context(), "root", c.File.Live.Cmd, "")
	os.WriteFile("/tmp/son/undone", []byte(out), 0o644)
}
