package lint

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
)

// slips reports places where a text is not a configuration, and keys that occur twice. judged states whether the rest of the text is
// checked.
func (j *judge) slips(judged bool) {
	j.lost = map[string]bool{}
	for _, s := range j.text.Slips {
		if j.lost[s.Row] = true; !judged {
			j.errorf(&topicText, s.At, "The file cannot be read as a configuration: %s.", s.Why)
			continue
		}
		j.errorf(&topicText, s.At, "%s is not read: %s. A switch refuses such a file, or reads it differently. rocec checks the rest "+
			"of the file.",
			strings.ToUpper(s.Row[:1])+s.Row[1:], s.Why)
	}
	if at := j.text.Comment; at >= 0 {
		j.errorf(&topicText, at, "The file has comments, which JSON does not allow, so a switch does not load it. rocec checks it "+
			"without them.")
	}
	for _, t := range j.text.Twins {
		d := j.warnf(&topicTwice, t.At, "The key %q occurs twice in one object. The last one counts here and on a switch, which reads "+
			"the file with Python; other programs differ. Leave one of the two.", t.Key)
		d.Note(grammar.Range(j.cfg, j.name, t.First), "The first one, which has no effect.")
	}
}

// brackets reports references in the form of releases up to 202106, once per file.
func (j *judge) brackets() {
	const says = "References are in brackets, such as [BUFFER_PROFILE|name], which releases up to 202106 had. "
	switch at := j.text.Old; {
	case at < 0:
	case j.text.Release != 0:
		j.errorf(&topicValue, at, says+"%s accepts only names. rocec checks them without the brackets.", j.text.Release)
	default:
		j.warnf(&topicValue, at, says+"rocec checks them without the brackets. Later releases accept only names.")
	}
}

// made adds the profiles of the buffer manager that priority groups name and the text lacks, if a switch runs the configuration. A state
// lacks them, for example. A profile for which the lookup file has no sizes gets headroom of unknown size.
func (j *judge) made() {
	if !j.running {
		return
	}
	cfg, lookup := j.cfg, grammar.LookupOf(j.cfg)
	for _, key := range cfg.Keys("BUFFER_PG") {
		group := cfg.Row("BUFFER_PG", key)
		profile := group.Get("profile")
		if !grammar.IsMade(profile) || strings.ContainsAny(profile, " \n") || j.cfg.Row("BUFFER_PROFILE", profile) != nil {
			continue
		}
		if j.cfg == cfg {
			j.cfg, j.sorted = cfg.Clone(), nil
		}
		at := group.Fields["profile"].At
		j.cfg.Put("BUFFER_PROFILE", profile, "xoff", strconv.Itoa(read.Headroom(cfg, lookup, profile)))
		row := j.cfg.Row("BUFFER_PROFILE", profile)
		row.At, row.Fields["xoff"] = at, grammar.Value{Text: row.Get("xoff"), At: at}
	}
}

// elsewhere reports whether a row is missing from a patch and may be in the configuration that the patch changes.
func elsewhere(j *judge, table, key string) bool {
	return j.text.Patch && key != "" && j.cfg.Row(table, key) == nil
}
