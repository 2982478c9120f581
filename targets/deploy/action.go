package deploy

// Action is the kind of change of a file, a setting or an effect on traffic. JSON contains its text, the screen its [Action.Symbol].
type Action string

// The actions. Activate is for a file that has the wanted content but may not be in use, because the apply that wrote it did not end.
const (
	Create   Action = "create"
	Update   Action = "update"
	Delete   Action = "delete"
	Activate Action = "activate"
)

// Symbol returns the one-character form of an action.
func (a Action) Symbol() rune {
	return map[Action]rune{Create: '+', Update: '~', Delete: '-', Activate: '!'}[a]
}
