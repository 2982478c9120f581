package cumulus

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Every apply of NVUE writes the files again, so rocec must not write the files of a switch that NVUE configures. The classes of NVUE are
// in its saved configuration, which it loads at boot, and in the applied one. Both also name the files that NVUE ignores.
const (
	nvueStartup = "/etc/nvue.d/startup.yaml"
	nvueActive  = "nvued active"
	nvueUnread  = "nvued startup unread" // the login user may not read it
	nvueShown   = "== applied"
	nvueAnswers = "nv answers"

	nvueLines = "LC_ALL=C grep -E 'qos|datapath' " // selects the relevant lines of the configuration
)

// nvueProbe asks whether NVUE runs, and for its configuration. Where the nv tool exists, it also asks for the applied configuration, since
// up to 5.8 a person has to save it.
func nvueProbe(d *ir.Device) target.Probe {
	return target.Probe{
		Name: "NVUE",
		Query: target.Query{Cmd: `if systemctl is-active --quiet nvued; then
	echo '` + nvueActive + `'
	if test -e ` + nvueStartup + ` && ! test -r ` + nvueStartup + `; then
		echo '` + nvueUnread + `'
	fi
	` + nvueLines + nvueStartup + ` 2>/dev/null | head -c 65536
	echo
	echo '` + nvueShown + `'
	if command -v nv >/dev/null; then
		if said=$(timeout 20 nv config show 2>/dev/null); then
			echo '` + nvueAnswers + `'
		fi
		printf '%s\n' "$said" | ` + nvueLines + `| head -c 65536
	fi
fi
true`},
		Judge: func(answer []byte) []string { return judgeNVUE(d, string(answer)) },
	}
}

// nvueClasses matches the key of classes in NVUE, of the switch or of an interface, and its value. An empty map contains no classes.
var nvueClasses = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s{,])['"]?qos['"]?\s*:\s*([^#]*)`) })

// nvueHolds reports whether a configuration in YAML contains classes. Nothing else in it is read.
func nvueHolds(text string) bool {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "#") {
			continue
		}
		if m := nvueClasses().FindStringSubmatch(l); m != nil && !strings.HasPrefix(strings.ReplaceAll(m[1], " ", ""), "{}") {
			return true
		}
	}
	return false
}

// judgeNVUE refuses a switch that NVUE configures.
func judgeNVUE(d *ir.Device, answer string) []string {
	if !strings.HasPrefix(answer, nvueActive) {
		return nil
	}
	saved, applied, _ := strings.Cut(answer, nvueShown)
	holds := ""
	switch {
	case nvueHolds(saved) && !nvueIgnores(saved): // the next restart applies it
		holds = nvueStartup + " contains qos"
	case nvueHolds(applied) && !nvueIgnores(applied):
		holds = "its applied configuration contains qos"
	case nvueIgnores(saved) || nvueIgnores(applied):
		return nil
	case strings.HasPrefix(saved, nvueActive+"\n"+nvueUnread+"\n") && !strings.Contains(applied, nvueAnswers+"\n"):
		return []string{fmt.Sprintf("nvued is active on %s, but its configuration was not read: the login user may not read %s, and nv "+
			"config show prints nothing. Let the user read one of them (group nvshow): rocec must not write the files of a switch that NVUE "+
			"configures.",
			d.Name, nvueStartup)}
	default:
		return nil
	}
	says := fmt.Sprintf("the fabric configures it by files, the default for release %s", d.Switch.Version)
	if at := d.Switch.ConfigAt; at.Filename != "" {
		says = fmt.Sprintf("the switch block says config = %q (%s:%d)", byFiles, diag.Escape(at.Filename), at.Start.Line)
	}
	return []string{fmt.Sprintf("%s is configured by NVUE (nvued is active, and %s), but %s: the next nv config apply would overwrite %s "+
		"and %s. Remove qos from NVUE, or let NVUE ignore both files (nv set system config apply ignore), or describe the switch with a "+
		"by_hand block.",
		d.Name, holds, says, featuresPath, infraPath)}
}

// nvueIgnores reports whether a configuration of NVUE names both files. NVUE names files only to ignore them.
func nvueIgnores(text string) bool {
	return strings.Contains(text, featuresPath) && strings.Contains(text, infraPath)
}
