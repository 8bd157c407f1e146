"""stub"""


class TicketList: ...
