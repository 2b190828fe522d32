/** A document, and questions about it with the beginning of the sentence that answers each. */
export interface QuestionedDocument {
  title: string;
  text: string;
  questions: [question: string, sentence: string][];
}

/**
 * Documents whose sentences share words with each other, so that most questions match several of them. Seldom is the
 * first sentence the right one.
 */
export const ENGLISH_DOCUMENTS: QuestionedDocument[] = [
  {
    title: 'Refund policy',
    text: 'Customers can request a refund within seven days of the purchase. Refunds reach the bank account within five working days. Gift cards and opened software are excluded from refunds. A refund above 500 euros needs the approval of the finance team. Return shipping is paid by the customer unless the product was defective.',
    questions: [
      ['When does the refund reach my bank account?', 'Refunds reach'],
      ['Within how many days of the purchase can I request a refund?', 'Customers can'],
      ['Are opened software and gift cards excluded from refunds?', 'Gift cards'],
      ['Who approves a refund above 500 euros?', 'A refund above'],
      ['Who pays for return shipping?', 'Return shipping'],
    ],
  },
  {
    title: 'Remote work',
    text: 'Employees may work remotely up to three days a week. Working remotely from another country requires written approval of the legal team. The company provides a laptop and a monitor for remote work. Internet costs at home are reimbursed up to 40 euros a month. Meetings of the whole team take place in the office on Tuesdays.',
    questions: [
      ['How many days a week may employees work remotely?', 'Employees may'],
      ['Can I work remotely from another country?', 'Working remotely'],
      ['What equipment does the company provide for remote work?', 'The company provides'],
      ['How much of the internet costs at home is reimbursed?', 'Internet costs'],
      ['On which day are team meetings in the office?', 'Meetings of'],
    ],
  },
  {
    title: 'Backup and restore',
    text: 'A full backup of the database is made every Sunday night. Incremental backups are made every six hours. Backups are kept for 35 days in a second data centre. A restore has to be requested from the operations team by ticket. The restore of a single table takes about twenty minutes. Backups are encrypted with a key that only two administrators hold.',
    questions: [
      ['How often are incremental backups made?', 'Incremental backups'],
      ['How long are backups kept?', 'Backups are kept'],
      ['How do I request a restore?', 'A restore has'],
      ['How long does the restore of a single table take?', 'The restore of'],
      ['Who holds the key that encrypts the backups?', 'Backups are encrypted'],
      ['On which night is the full backup of the database made?', 'A full backup'],
    ],
  },
  {
    title: 'Coffee machine',
    text: 'The coffee machine must be descaled once a month. Use only the descaling powder from the supplier. Fill the tank with fresh water before switching the machine on. A flashing red light means that the tank is empty. A flashing blue light means that the filter must be replaced. The warranty of the machine ends after two years.',
    questions: [
      ['How often must the machine be descaled?', 'The coffee machine'],
      ['Which powder is used for descaling?', 'Use only'],
      ['What does the flashing red light mean?', 'A flashing red'],
      ['What does the flashing blue light mean?', 'A flashing blue'],
      ['When does the warranty of the machine end?', 'The warranty'],
    ],
  },
  {
    title: 'API limits',
    text: 'Each account may send 600 requests a minute to the API. Requests above the limit are answered with status 429. The limit of an account can be raised by support. Uploads of files are limited to 50 megabytes each. A file that was uploaded is deleted after 30 days without use. The API is served from Frankfurt and Singapore.',
    questions: [
      ['How many requests a minute may an account send?', 'Each account'],
      ['Which status answers requests above the limit?', 'Requests above'],
      ['Who can raise the limit of my account?', 'The limit of'],
      ['How large may uploads of files be?', 'Uploads of'],
      ['When is an uploaded file deleted?', 'A file that'],
      ['From where is the API served?', 'The API is'],
    ],
  },
  {
    title: 'Library rules',
    text: 'Books can be borrowed for four weeks. Borrowed books can be renewed twice if nobody has reserved them. Journals cannot be borrowed and are read in the library. Each day of delay costs 20 cents a book. Lost books have to be replaced by the reader. Laptops can be borrowed at the desk for two hours.',
    questions: [
      ['How long can books be borrowed?', 'Books can'],
      ['How many times can borrowed books be renewed?', 'Borrowed books'],
      ['Can journals be borrowed?', 'Journals cannot'],
      ['What does a day of delay cost?', 'Each day'],
      ['Who has to replace lost books?', 'Lost books'],
      ['For how long can laptops be borrowed?', 'Laptops can'],
    ],
  },
  {
    title: 'Parking',
    text: 'A parking permit can be ordered on the intranet. A parking permit takes three days to arrive. Visitors get a permit at the reception. To get a second permit you need the signature of your manager. Cars without a permit are towed away. Electric cars are charged in rows A and B.',
    questions: [
      ['How long does a parking permit take?', 'A parking permit takes'],
      ['Where do visitors get a permit?', 'Visitors get'],
      ['What do I need for a second permit?', 'To get a second'],
      ['What happens to cars without a permit?', 'Cars without'],
      ['Where can I order a parking permit?', 'A parking permit can'],
      ['Where are electric cars charged?', 'Electric cars'],
    ],
  },
  {
    title: 'Certificates',
    text: 'Certificates are issued by the internal authority. New certificates need the approval of two engineers. Certificates mean nothing after they are revoked. It takes an hour until a revoked certificate is refused everywhere. Expired certificates are renewed by a nightly job.',
    questions: [
      ['Who issues certificates?', 'Certificates are'],
      ['What do new certificates need?', 'New certificates'],
      ['How long does it take until a revoked certificate is refused?', 'It takes'],
      ['Which job renews expired certificates?', 'Expired certificates'],
      ['What do certificates mean?', 'Certificates mean'],
    ],
  },
];

export const CHINESE_DOCUMENTS: QuestionedDocument[] = [
  {
    title: '售后',
    text: '客户可以在购买后七天内申请退款。退款会在五个工作日内到账。礼品卡和已拆封的软件不能退款。超过五百元的退款需要财务部批准。退货的运费由客户承担，商品有质量问题的除外。',
    questions: [
      ['退款多久到账？', '退款会在'],
      ['购买后几天内可以申请退款？', '客户可以'],
      ['礼品卡可以退款吗？', '礼品卡'],
      ['五百元以上的退款由谁批准？', '超过五百元'],
      ['退货的运费由谁承担？', '退货的运费'],
    ],
  },
  {
    title: '考勤',
    text: '员工每天上午九点上班，下午六点下班。迟到三十分钟以上的，按半天事假处理。每月迟到三次的，取消当月的全勤奖。员工到外地出差，应提前两天提交申请。出差回来后五天内报销差旅费。加班须由部门经理事先同意。',
    questions: [
      ['员工几点上班？', '员工每天'],
      ['迟到多久按事假处理？', '迟到三十分钟'],
      ['每月迟到几次取消全勤奖？', '每月迟到'],
      ['到外地出差要提前几天申请？', '员工到外地'],
      ['出差回来后几天内报销？', '出差回来'],
      ['加班要谁同意？', '加班须'],
    ],
  },
  {
    title: '图书馆',
    text: '图书的借期为四个星期。借到的图书可以续借两次。期刊不外借，只能在馆内阅读。图书到期不还的，每天每册罚款两角。丢失图书的，由读者赔偿同样的图书。笔记本电脑可以在服务台借用两个小时。',
    questions: [
      ['图书的借期是多长？', '图书的借期'],
      ['图书可以续借几次？', '借到的'],
      ['期刊可以外借吗？', '期刊不'],
      ['图书到期不还怎么罚款？', '图书到期'],
      ['丢失了图书怎么赔偿？', '丢失图书'],
      ['笔记本电脑可以借用多久？', '笔记本电脑'],
    ],
  },
  {
    title: '快递',
    text: '订单付款后二十四小时内发货。省内的包裹一般第二天送到，省外的包裹三天送到。收件人不在家时，包裹放到小区的快递柜。快递柜的包裹保管三天，到期退回。包裹在运输中损坏的，由快递公司按原价赔偿。修改收货地址须在发货之前联系客服。',
    questions: [
      ['付款后多久发货？', '订单付款'],
      ['省外的包裹几天能到？', '省内的包裹'],
      ['不在家时包裹放到哪里？', '收件人'],
      ['快递柜的包裹保管几天？', '快递柜的'],
      ['包裹损坏由谁赔偿？', '包裹在'],
      ['怎么修改收货地址？', '修改收货'],
    ],
  },
  {
    title: '账户安全',
    text: '账户的密码至少要有十二个字符。密码每九十天更换一次。连续五次输错密码的账户会被锁定半小时。被锁定的账户也可以由管理员解锁。登录时还要输入手机收到的验证码。验证码在五分钟后失效。员工离职的当天，其账户会被停用。',
    questions: [
      ['密码至少要有多少个字符？', '账户的密码'],
      ['密码多久更换一次？', '密码每'],
      ['输错几次密码账户会被锁定？', '连续五次'],
      ['被锁定的账户由谁解锁？', '被锁定的'],
      ['验证码多久失效？', '验证码在'],
      ['什么时候停用离职员工的账户？', '员工离职'],
      ['手机收到的验证码用于什么？', '登录时'],
    ],
  },
  {
    title: '会议室',
    text: '会议室可以提前两周预订。预订后十五分钟没有人到的，会议室自动释放。大会议室有投影仪，小会议室只有白板。会议结束后请关闭投影仪和空调。访客到会议室须由员工陪同。会议室的钥匙在前台领取。',
    questions: [
      ['会议室可以提前多久预订？', '会议室可以'],
      ['预订后没有人到会怎么样？', '预订后'],
      ['哪个会议室有投影仪？', '大会议室'],
      ['会议结束后要关闭什么？', '会议结束'],
      ['访客到会议室要谁陪同？', '访客到'],
      ['会议室的钥匙在哪里领取？', '会议室的钥匙'],
    ],
  },
  {
    title: '报销',
    text: '报销单须在出差结束后十天内提交。报销款在审批后十五天到账。住宿费每晚不超过四百元。超过标准的住宿费由个人承担。交通费凭票报销。',
    questions: [
      ['报销多久到账？', '报销款'],
      ['报销单什么时候提交？', '报销单'],
      ['超标的住宿费由谁承担？', '超过标准'],
      ['住宿费每晚不超过多少？', '住宿费每晚'],
      ['交通费怎么报销？', '交通费'],
    ],
  },
  {
    title: '充值',
    text: '充值的金额不能提现。充值在付款后十分钟内到账。充值失败的金额会原路退回。充值的发票在第二天开具。每次充值至少五十元。',
    questions: [
      ['充值多久到账？', '充值在'],
      ['充值失败怎么办？', '充值失败'],
      ['充值的发票什么时候开具？', '充值的发票'],
      ['每次充值至少多少元？', '每次充值'],
      ['充值的金额能提现吗？', '充值的金额'],
    ],
  },
  {
    title: '合同',
    text: '合同正本由法务部保管。合同从双方签字之日起生效。合同期满前三十天可以续签。合同的终止须提前一个月书面通知对方。合同有争议的，由上海仲裁委员会仲裁。',
    questions: [
      ['合同从什么时候起生效？', '合同从'],
      ['合同期满前可以续签吗？', '合同期满'],
      ['终止合同要提前多久通知？', '合同的终止'],
      ['合同有争议怎么办？', '合同有'],
      ['合同由谁保管？', '合同正本'],
    ],
  },
  {
    title: '订餐',
    text: '午餐在十点以前预订。晚餐在四点以前预订。午餐的价格是二十元。晚餐的价格是二十五元。午餐由食堂送到各个楼层。订餐以后不能取消。',
    questions: [
      ['午餐几点以前预订？', '午餐在'],
      ['晚餐几点以前预订？', '晚餐在'],
      ['晚餐的价格是多少？', '晚餐的价格'],
      ['午餐送到哪里？', '午餐由'],
      ['午餐是谁送的？', '午餐由'],
      ['订餐以后可以取消吗？', '订餐以后'],
    ],
  },
];
