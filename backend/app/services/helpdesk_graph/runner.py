"""stub"""


class Launched: ...


class HelpdeskRunner: ...
