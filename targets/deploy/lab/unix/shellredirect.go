package unix

import (
	"mvdan.cc/sh/v3/syntax"
)

// redirect opens the files of redirections. The caller must release opened after the command.
func (sh *shell) redirect(redirs []*syntax.Redirect) (fds descriptors, opened []*desc, ok bool) {
	fds = sh.p.fds
	for _, r := range redirs {
		n := 1
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc:
			n = 0
		}
		if r.N != nil {
			if len(r.N.Value) > 1 || r.N.Value[0] < '0' || r.N.Value[0] > '9' {
				sh.die("Syntax error: Bad fd number")
				return fds, opened, false
			}
			n = int(r.N.Value[0] - '0')
		}
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			doc, err := sh.document(r.Hdoc)
			if err != nil {
				sh.die("%v", err)
				return fds, opened, false
			}
			fds[n] = newDesc(&text{left: doc})
			opened = append(opened, fds[n])
			continue
		}
		word, err := sh.literal(r.Word)
		if err != nil {
			sh.die("%v", err)
			return fds, opened, false
		}
		if r.Op == syntax.DplIn || r.Op == syntax.DplOut {
			switch {
			case word == "-":
				fds[n] = nil
			case len(word) == 1 && word[0] >= '0' && word[0] <= '9' && fds[word[0]-'0'] != nil:
				fds[n] = fds[word[0]-'0']
			case len(word) == 1 && word[0] >= '0' && word[0] <= '9':
				sh.complain("%s: Bad file descriptor", word)
				return fds, opened, false
			default:
				sh.die("Syntax error: Bad fd number")
				return fds, opened, false
			}
			continue
		}
		d, ok := sh.openFor(r.Op, word, &fds)
		if !ok {
			return fds, opened, false
		}
		fds[n] = d
		opened = append(opened, d)
	}
	return fds, opened, true
}

// openFor opens a file for a redirection. Errors have dash's wording.
func (sh *shell) openFor(op syntax.RedirOperator, path string, fds *descriptors) (*desc, bool) {
	flag := oRDONLY
	switch op {
	case syntax.RdrOut, syntax.RdrClob:
		flag = oWRONLY | oCREATE | oTRUNC
	case syntax.AppOut:
		flag = oWRONLY | oCREATE | oAPPEND
	case syntax.RdrInOut:
		flag = oRDWR | oCREATE
	}
	p := *sh.p
	p.setFds(*fds)
	d, err := p.openDesc(path, flag, 0o666)
	if err == nil {
		return d, true
	}
	what, reason := "open", openReason(err)
	if flag&oCREATE != 0 {
		what, reason = "create", err.Error()
		if err == eNoEnt {
			reason = "Directory nonexistent"
		}
	}
	sh.complain("cannot %s %s: %s", what, path, reason)
	return nil, false
}
